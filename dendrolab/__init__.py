"""Distances, features and clusterings read off dendrograms.

Names load on first use, so that ``import dendrolab`` is quick; ``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
