"""Tables as programs write them: R's row names, lists as text, flags beside their category."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command_line import sortal_command
from sortal import InputError
from sortal.datasets import read, weighted

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(80, 3)).round(3), columns=["u", "v", "w"])


@pytest.mark.parametrize("separator", [" ", ",", "\t", ";"])
@pytest.mark.parametrize("quote", ['"', ""])
def test_the_header_of_r_names_no_rows(tmp_path: Path, separator: str, quote: str) -> None:
    def line(cells: list[str], values: tuple[float, ...] = ()) -> str:
        return separator.join([*(f"{quote}{cell}{quote}" for cell in cells), *map(str, values)])

    rows = [
        line([f"r{i}"], row) for i, row in enumerate(NUMBERS.itertuples(index=False, name=None))
    ]
    (tmp_path / "x.txt").write_text("\n".join([line(["u", "v", "w"]), *rows]) + "\n")
    data = read(tmp_path / "x.txt", scale="none")
    assert data.feature_names == ("u", "v", "w")
    assert data.ids.tolist() == [f"r{i}" for i in range(80)]
    np.testing.assert_array_equal(data.X, NUMBERS)


def test_a_last_cell_that_is_always_blank_is_no_reason_for_row_names(tmp_path: Path) -> None:
    text = "u,v,w\n" + "".join(f"{i},{2 * i % 7},{3 * i % 5},\n" for i in range(30))
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match="30 lines do not have the 3 cells"):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize(
    "form", [str, lambda v: str(np.array(v)), lambda v: str(v).replace(" ", "")]
)
def test_lists_written_as_text_become_columns(tmp_path: Path, form: object) -> None:
    assert callable(form)
    cells = [form(row) for row in NUMBERS.to_numpy().tolist()]
    pd.DataFrame({"id": [f"d{i}" for i in range(80)], "e": cells}).to_csv(tmp_path / "x.csv")
    data = read(tmp_path / "x.csv", scale="none")
    assert data.feature_names == ("e[1]", "e[2]", "e[3]")
    np.testing.assert_allclose(data.X, NUMBERS)


@pytest.mark.parametrize("broken", ["[1.0, 2.0]", "[1.2.3, 1, 2]", "none, really"])
def test_other_texts_in_brackets_are_text(tmp_path: Path, broken: str) -> None:
    cells = [str(row) for row in NUMBERS.to_numpy().tolist()]
    table = NUMBERS.assign(e=[broken, *cells[1:]])
    table.to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", scale="none")
    assert data.feature_names == ("u", "v", "w")


def test_flags_beside_their_category_count_once(tmp_path: Path) -> None:
    group = RNG.integers(0, 3, 120)
    table = pd.DataFrame(RNG.normal(size=(120, 2)) + 8 * group[:, None], columns=["u", "v"])
    table["plan"] = RNG.choice(["a", "b", "c"], 120)
    flags = pd.get_dummies(table["plan"], prefix="plan", dtype=int)
    pd.concat([table, flags], axis=1).to_csv(tmp_path / "x.csv", index=False)
    data = weighted(read(tmp_path / "x.csv"))
    assert data.feature_names == ("u", "v")
    assert data.weighing is not None
    assert data.weighing.weights == {"u": 1.0, "v": 1.0, "plan": 0.0}


def test_a_parquet_file_without_columns_is_an_error_at_every_door(tmp_path: Path) -> None:
    pd.DataFrame(index=range(5)).to_parquet(tmp_path / "x.parquet")
    for command in (("check",), ("run",), ("sample", "-n", 2)):
        done = sortal_command(command[0], "x.parquet", *command[1:], cwd=tmp_path)
        assert done.returncode == 2
        assert "x.parquet has no columns" in done.stderr
    with pytest.raises(InputError, match="DataFrame is no path"):
        read(NUMBERS)  # type: ignore[arg-type]


def test_a_graph_in_node_link_form_says_how_to_give_it(tmp_path: Path) -> None:
    graph = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}
    (tmp_path / "x.json").write_text(json.dumps(graph))
    for kind in (None, "graph"):
        with pytest.raises(InputError, match="node-link form"):
            read(tmp_path / "x.json", kind=kind)
