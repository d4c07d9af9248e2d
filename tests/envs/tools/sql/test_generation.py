"""Generated worlds: the query answers the question, and no question is degenerate."""

import operator
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from zerogym.envs.tools.sql.env import SQLEnv
from zerogym.envs.tools.sql.generation import MAX_ROWS, World, flaw
from zerogym.envs.tools.sql.query import Column, Condition, Query, Table, to_english, to_sql
from zerogym.envs.tools.sql.result import Row

COMPARE = {"=": operator.eq, ">": operator.gt, "<": operator.lt}


def answer_without_sql(world: World) -> list[Row]:
    """The answer to a question, by loops over the rows."""
    query = world.query
    content = dict(zip([t.name for t in world.tables], world.rows, strict=True))

    def joined(row: Row) -> list[Row]:
        found = [row]
        for parent in query.tables[1:]:
            found.append(next(r for r in content[parent.name] if r[0] == found[-1][-1]))
        return found

    def value(rows: list[Row], hops: int, column: Column | None) -> Any:
        assert column is not None
        return rows[hops][1 + query.tables[hops].columns.index(column)]

    def holds(rows: list[Row], condition: Condition) -> bool:
        compare = COMPARE[condition.operator]
        return bool(compare(value(rows, condition.hops, condition.column), condition.value))

    kept = [joined(row) for row in sorted(content[query.tables[0].name])]
    kept = [rows for rows in kept if all(holds(rows, c) for c in query.conditions)]
    if query.kind in ("rows", "count"):
        return [(len(kept),)]
    if query.kind == "lookup":
        return [(value(rows, 0, query.column),) for rows in kept if rows[0][0] == query.number]
    if query.kind in ("group", "having"):
        values = sorted(value(rows, len(query.tables) - 1, query.column) for rows in kept)
        groups = [(key, len(list(same))) for key, same in groupby(values)]
        return [g for g in groups if query.kind == "group" or g[1] >= query.number]
    if query.kind == "top":
        kept = sorted(kept, key=lambda rows: -value(rows, 0, query.order))[: query.number]
    values = [value(rows, 0, query.column) for rows in kept]
    if query.kind == "total":
        average = sum(values) / len(values)
        by_name = {"SUM": sum(values), "AVG": average, "MIN": min(values), "MAX": max(values)}
        return [(by_name[query.aggregate],)]
    return [(v,) for v in values]


def worlds(difficulty: float, count: int, seed: int = 0) -> list[World]:
    env = SQLEnv(difficulty=difficulty)
    made = []
    for index in range(count):
        env.reset(seed=seed + index)
        made.append(env.unwrapped.get_state()["episode"].problem)
    env.close()
    return made


@pytest.mark.parametrize("difficulty", [0, 0.5, 1, 2, 3, 6])
def test_gold_query_equals_loops_over_the_rows(difficulty: float) -> None:
    kinds = set()
    for world in worlds(difficulty, 50):
        database, gold = world.open(), answer_without_sql(world)
        assert list(database.query(world.gold).rows) == gold
        database.close()
        kinds.add(world.query.kind)
        assert gold and all(v is not None for row in gold for v in row)
        sizes = dict(zip([t.name for t in world.tables], map(len, world.rows), strict=True))
        if world.query.kind == "list":
            assert len(gold) < sizes[world.query.tables[0].name]
        if world.query.kind == "count":
            assert 0 < gold[0][0] < sizes[world.query.tables[0].name]  # type: ignore[operator]
        assert max(sizes.values()) <= MAX_ROWS
    assert kinds == {"rows", "lookup"} if difficulty == 0 else len(kinds) >= 3


def test_a_question_with_a_part_that_does_not_matter_is_a_flaw() -> None:
    color, price = Column("color", "color", "text"), Column("price", "price", "number")
    pets = Table("pet", "pets", "pets", (color, price))
    content: tuple[Row, ...] = (
        (1, "red", 5), (2, "red", 9), (3, "blue", 9), (4, "blue", 5), (5, "red", 4),
        (6, "blue", 3),
    )  # fmt: skip
    red = Condition(0, color, "=", "red")
    cheap, any_price = Condition(0, price, "<", 6), Condition(0, price, "<", 99)

    def found(query: Query) -> str:
        world = World((pets,), (content,), query)
        database = world.open()
        problem = flaw(world, database)
        database.close()
        return problem

    assert found(Query("count", (pets,), None, (red, cheap))) == ""
    assert found(Query("count", (pets,), None, (red, any_price))) != ""
    assert found(Query("list", (pets,), color, (Condition(0, color, "=", "green"),))) != ""
    assert found(Query("group", (pets,), color)) == ""
    assert found(Query("group", (pets,), color, (red,))) != ""
    assert found(Query("having", (pets,), color, number=3)) != ""  # both have three
    assert found(Query("top", (pets,), color, order=price, number=6)) != ""
    assert found(Query("top", (pets,), color, order=price, number=3)) == ""
    assert found(Query("lookup", (pets,), price, number=6)) == ""
    assert found(Query("lookup", (pets,), color, number=6)) != ""  # half of them are blue
    one = Condition(0, price, "<", 5)
    assert found(Query("count", (pets,), None, (red, one))) != ""  # 1 would be a good guess


def test_what_one_would_guess_without_reading_the_question_is_seldom_right() -> None:
    """Half of a table's rows, 1, the first or the most frequent value, any row's value."""
    for difficulty in (0, 1, 3):
        right: dict[str, list[bool]] = {}
        for world in worlds(difficulty, 150):
            first = world.query.tables[0]
            if world.query.kind not in ("lookup", "count"):
                continue
            rows = world.rows[world.tables.index(first)]
            gold = answer_without_sql(world)[0][0]
            values = [row[1] for row in rows]
            if world.query.column is not None:
                values = [row[1 + first.columns.index(world.query.column)] for row in rows]
            often = max(values, key=values.count)
            for name, guess in {"half": len(rows) // 2, "one": 1, "often": often}.items():
                right.setdefault(name, []).append(guess == gold)
        assert max(map(np.mean, right.values())) < 0.15, difficulty


def test_one_question_in_full() -> None:
    city = Column("city", "c_city", "text")
    price = Column("price", "price_now", "number")
    shop = Table("shop", "shops", "t_shop", (city,))
    boat = Table("boat", "boats", "boat_list", (price,), parent="shop")
    query = Query("count", (boat, shop), None, (Condition(1, city, "=", "Oslo"),))
    assert boat.schema == (
        "CREATE TABLE boat_list(id INTEGER PRIMARY KEY, price_now INTEGER, shop_id INTEGER)"
    )
    assert to_english(query) == "How many boats whose shop's city is Oslo are there?"
    assert to_sql(query) == (
        "SELECT COUNT(*) FROM boat_list JOIN t_shop ON boat_list.shop_id = t_shop.id "
        "WHERE t_shop.c_city = 'Oslo'"
    )
    assert query.clauses == 2
    best = Query("top", (boat,), price, order=price, number=3)
    assert to_sql(best) == ("SELECT price_now FROM boat_list ORDER BY price_now DESC, id LIMIT 3")
    assert to_english(best) == (
        "List the price of the 3 with the highest price among the boats: highest price first, "
        "equals in the order of their id."
    )
