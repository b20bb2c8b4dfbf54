"""How often the test error exceeds its PAC-MDL bound, over random splits."""

from __future__ import annotations
