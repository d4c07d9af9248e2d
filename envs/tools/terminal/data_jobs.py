"""Jobs over tables: joining CSV files, and filling, cleaning and reporting a SQLite database."""

import sqlite3
from collections import defaultdict

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints
from zerogym.envs.tools.notebook.puzzle import sample_names
from zerogym.envs.tools.terminal.job import Check, Job

Order = tuple[int, str, int]


def sample_table(rng: np.random.Generator, size: int) -> Job:
    """Draw a job that joins two CSV files and sums the result."""
    people, cities = sample_names(rng, 5), sample_names(rng, 3)
    home = {person: cities[int(rng.integers(3))] for person in people}
    orders = _orders(rng, people, 1, 4 + size)
    joined = "id,customer,amount,city\n"
    totals: dict[str, int] = defaultdict(int)
    for number, person, amount in orders:
        joined += f"{number},{person},{amount},{home[person]}\n"
        totals[home[person]] += amount
    order = sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
    shuffled = [orders[int(index)] for index in rng.permutation(len(orders))]
    return Job(
        "table",
        {
            "orders.csv": "id,customer,amount\n" + _lines(shuffled),
            "customers.csv": "customer,city\n" + "".join(f"{p},{c}\n" for p, c in home.items()),
        },
        (
            "Write joined.csv with the head id,customer,amount,city: the rows of orders.csv, each "
            "with the city of its customer from customers.csv, in the order of the ids.",
            "Write totals.csv without a head: a line city,total for each city of joined.csv with "
            "the sum of its amounts, the largest first, and of equal ones the first in the "
            "alphabet.",
            "Delete orders.csv.",
        ),
        (
            "echo id,customer,amount,city > joined.csv\n"
            "awk -F, 'NR == FNR { city[$1] = $2; next } FNR > 1 { print $0 \",\" city[$2] }' "
            "customers.csv orders.csv | sort -t, -k1,1n >> joined.csv",
            "awk -F, 'NR > 1 { sum[$4] += $3 } END { for (c in sum) print c \",\" sum[c] }' "
            "joined.csv | sort -t, -k2,2nr -k1,1 > totals.csv",
            "rm orders.csv",
        ),
        (
            Check("joined.csv", "text", joined),
            Check("totals.csv", "text", "".join(f"{city},{total}\n" for city, total in order)),
            Check("orders.csv", "gone"),
        ),
    )


def sample_database(rng: np.random.Generator, size: int) -> Job:
    """Draw a job that adds rows to a database, deletes some, and writes a report."""
    people = sample_names(rng, 4)
    before = _orders(rng, people, 1, 4 + size)
    more = _orders(rng, people, len(before) + 1, 2 + size // 2)
    least = sorted(amount for _, _, amount in before)[len(before) // 3] + 1
    kept = [order for order in (*before, *more) if order[2] >= least]
    totals: dict[str, int] = defaultdict(int)
    for _, person, amount in kept:
        totals[person] += amount
    report = "".join(f"{person},{total}\n" for person, total in sorted(totals.items()))
    head = 'python3 - <<"END"\nimport csv, sqlite3\ndb = sqlite3.connect("shop.db")\n'
    return Job(
        "database",
        {"shop.db": _database(before), "more.csv": "id,customer,amount\n" + _lines(more)},
        (
            "shop.db is a SQLite database with the table orders (id, customer, amount). Add the "
            "rows of more.csv to it.",
            f"Delete the orders with an amount below {least} from the table.",
            "Write report.csv without a head: a line customer,total for each customer in the table "
            "with the sum of its amounts, in alphabetical order.",
        ),
        (
            f"{head}rows = list(csv.reader(open('more.csv')))[1:]\n"
            "db.executemany('INSERT INTO orders VALUES (?, ?, ?)', rows)\ndb.commit()\nEND",
            f"{head}db.execute('DELETE FROM orders WHERE amount < {least}')\ndb.commit()\nEND",
            f"{head}query = 'SELECT customer, SUM(amount) FROM orders GROUP BY 1 ORDER BY 1'\n"
            "with open('report.csv', 'w') as file:\n"
            "    file.writelines(f'{who},{total}\\n' for who, total in db.execute(query))\nEND",
        ),
        (
            Check("shop.db", "rows", [list(order) for order in kept]),
            Check("report.csv", "text", report),
        ),
    )


def _orders(rng: np.random.Generator, people: list[str], first: int, count: int) -> list[Order]:
    who = draw_ints(rng, 0, len(people) - 1, count)
    amounts = draw_ints(rng, 1, 99, count)
    pairs = zip(who, amounts, strict=True)
    return [(first + number, people[w], amount) for number, (w, amount) in enumerate(pairs)]


def _lines(orders: list[Order]) -> str:
    return "".join(f"{number},{person},{amount}\n" for number, person, amount in orders)


def _database(orders: list[Order]) -> bytes:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount INTEGER)")
    db.executemany("INSERT INTO orders VALUES (?, ?, ?)", orders)
    db.commit()
    content = db.serialize()
    db.close()
    return content
