"""The result: one row a case, one column a surface of an SDK."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

COLUMNS = (
    "Python openai responses",
    "Python openai chat",
    "Python anthropic messages",
    "Python google interactions",
    "Node openai responses",
    "Node openai chat",
    "Node anthropic messages",
    "Node google interactions",
    "Node flexinference",
)
PASSED, FAILED, NO_SUCH_CASE = "ok", "FAIL", "·"

Cells = dict[str, dict[str, str]]


def read(scratch: Path) -> Cells:
    """For each case, what became of it in each column; `python.xml` and `node.xml` hold the results."""
    cells: Cells = {}
    for language in ("Python", "Node"):
        results = scratch / f"{language.lower()}.xml"
        if not results.exists():
            continue
        for case in ElementTree.parse(results).iter("testcase"):
            name, group = case.get("name"), case.get("classname")
            if language == "Python":
                name = name.split("[")[0].removeprefix("test_").replace("_", " ")
                group = group.split(".")[-1].removeprefix("test_").replace("_", " ")
            # Anything inside is a failure, an error or a skipped test: none of them is a pass.
            unhappy = any(child.tag in ("failure", "error", "skipped") for child in case)
            row, column = cells.setdefault(name, {}), f"{language} {group}"
            # A case that is run with several parameters passes when all of them do.
            row[column] = FAILED if unhappy or row.get(column) == FAILED else PASSED
    return cells


def show(cells: Cells) -> bool:
    """Prints the table; whether every column is there and no case failed."""
    width = max(map(len, cells), default=0)
    for number, column in enumerate(COLUMNS, 1):
        print(f"  {number} = {column}")
    print(f"\n{'':{width}}" + "".join(f"{number:>5}" for number in range(1, len(COLUMNS) + 1)))
    for name, row in cells.items():
        print(f"{name:{width}}" + "".join(f"{row.get(column, NO_SUCH_CASE):>5}" for column in COLUMNS))
    outcomes = [(column, outcome) for row in cells.values() for column, outcome in row.items()]
    failed = sum(outcome == FAILED for _, outcome in outcomes)
    print(f"\n{len(outcomes) - failed} passed, {failed} failed")
    counts = {column: sum(seen == column for seen, _ in outcomes) for column in COLUMNS}
    missing = [column for column, count in counts.items() if count == 0]
    strange = {column for column, _ in outcomes} - set(COLUMNS)
    for column in [*missing, *sorted(strange)]:
        print(f"no result for, or no place for: {column}")
    return failed == 0 and not missing and not strange
