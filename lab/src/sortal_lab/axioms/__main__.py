"""``python -m sortal_lab.axioms``: writes the definitions of the properties that sortal stores."""

import json

from sortal.measures.properties import Property as Definition
from sortal_lab.axioms import PROPERTIES

FIELDS = tuple(Definition.__dataclass_fields__)


def as_json() -> str:
    """A line for each property; empty fields are omitted."""
    facts = [
        {key: getattr(p, key) for key in FIELDS if getattr(p, key)} for p in PROPERTIES.values()
    ]
    lines = [json.dumps(each, ensure_ascii=False) for each in facts]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    print(as_json(), end="")
