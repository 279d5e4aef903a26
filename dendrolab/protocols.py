"""The papers' experiments as functions that return tidy DataFrames.

Each paper's tables have a module of their own; this one gathers them.
"""

from .cdsk_tables import cdsk_table as cdsk_table
from .ensemble_tables import level_table as level_table
from .ensemble_tables import runtime_table as runtime_table
from .ensemble_tables import uci_table as uci_table
from .hmkc_tables import hmkc_table as hmkc_table
from .hmkc_tables import layer_sweep as layer_sweep
from .representations import PAPER_LINKAGES as PAPER_LINKAGES
from .representations import compare_representations as compare_representations
from .representations import represent as represent
from .stacking_tables import stacking_table as stacking_table
from .text_tables import read_texts as read_texts
from .text_tables import text_table as text_table
