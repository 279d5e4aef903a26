"""The papers' experiments as functions that return tidy DataFrames.

Each paper's tables have a module of their own; this one gathers them.
"""

from .cdsk_tables import cdsk_table as cdsk_table
from .representations import compare_representations as compare_representations
from .representations import represent as represent
from .stacking_tables import stacking_table as stacking_table
