"""A corpus ranks by BM25, takes any text as a query, and is read part by part."""

import copy
import json
import math
import os
import pickle
import re
import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from zerogym.envs.tools.search.corpus import (
    MAX_WORDS,
    PART,
    Corpus,
    Document,
    EditedCorpus,
    words,
)
from zerogym.envs.tools.search.corpus_files import read_corpus
from zerogym.envs.tools.search.index import BM25Index, _best, fold

TEXTS = (
    "The red fox jumps over the lazy dog.",
    "A red red herring; a red flag.",
    "Dogs and foxes are canids. The dog barks.",
    "Nothing of the kind.",
    "The quick brown fox: quick, quick!",
    "A herring is a fish, and a fish is food for a fox.",
)
NAMES = Corpus([Document(f"d{i}", f"Page {i}", text) for i, text in enumerate(TEXTS)])


def bm25(documents: Sequence[Document], query: str) -> dict[str, float]:
    """Scores above 0 by the formula, in the simplest way; words of most documents left out."""
    k1, b = 1.2, 0.75
    bags = [re.findall(r"\w+", f"{d.title} {d.text}".lower()) for d in documents]
    average = sum(map(len, bags)) / len(bags)
    scores = dict.fromkeys([document.id for document in documents], 0.0)
    for word in dict.fromkeys(re.findall(r"\w+", query.lower())):
        holding = sum(word in bag for bag in bags)
        if 2 * holding > len(bags):
            continue
        idf = math.log((len(bags) - holding + 0.5) / (holding + 0.5))
        for document, bag in zip(documents, bags, strict=True):
            often = bag.count(word)
            damp = k1 * (1 - b + b * len(bag) / average)
            scores[document.id] += max(idf, 1e-6) * often * (k1 + 1) / (often + damp)
    return {id: score for id, score in scores.items() if score > 0}


@pytest.mark.parametrize(
    "query",
    ["fox", "red herring", "dog fox dog", "THE Fox!", "page 3", "quick fish food", "lazy"],
)
def test_scores_are_bm25(query: str) -> None:
    expected = bm25(NAMES.documents, query)
    hits = NAMES.search(query, k=50)
    assert {hit.id for hit in hits} == set(expected) and hits
    for hit in hits:
        assert hit.score == pytest.approx(expected[hit.id], rel=1e-6)
    best = sorted(expected.values(), reverse=True)
    assert [hit.score for hit in hits] == pytest.approx(best, rel=1e-6)


def test_scores_are_bm25_on_random_texts() -> None:
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, 201)
    share /= share.sum()
    texts = [
        " ".join(f"w{i}" for i in rng.choice(200, size=int(rng.integers(1, 80)), p=share))
        for _ in range(300)
    ]  # fmt: skip
    corpus = Corpus([Document(str(i), f"t{i}", text) for i, text in enumerate(texts)])
    for _ in range(50):
        query = " ".join(f"w{i}" for i in rng.integers(200, size=3))
        expected = bm25(corpus.documents, query)
        best = sorted(expected.values(), reverse=True)[:10]
        assert [hit.score for hit in corpus.search(query, 10)] == pytest.approx(best, rel=1e-6)


def test_words_that_most_documents_hold_count_only_alone() -> None:
    assert {hit.id for hit in NAMES.search("page herring", 50)} == {"d1", "d5"}
    for query in ("page", "page the unknown"):
        assert len(NAMES.search(query, 50)) == len(TEXTS)
    assert max(hit.score for hit in NAMES.search("page")) < 1e-5


def test_equal_scores_keep_the_order_of_the_documents() -> None:
    names = [f"n{i}" for i in np.random.default_rng(1).permutation(40)]
    corpus = Corpus([Document(name, "same", "the same text") for name in names])
    assert [hit.id for hit in corpus.search("text", 40)] == names
    assert [hit.id for hit in corpus.search("text", 7)] == names[:7]


def test_snippet_is_one_short_line_around_the_words() -> None:
    text = "filler\n" * 300 + "the needle is here" + "\nmore filler" * 300
    hit = Corpus([Document("a", "Hay\nstack", text)]).search("needle")[0]
    assert hit.title == "Hay stack"
    assert "needle" in hit.snippet and "\n" not in hit.snippet and len(hit.snippet) < 400


HOSTILE = [
    "", " ", "\x00", "fox\x00dog", '"', '""', "'", "fox\"", "(", ")", "*", "fo*", "^fox", "-fox",
    "NOT fox", "fox NOT dog", "fox AND", "AND", "OR OR OR", "NEAR(fox dog, 2)", "NEAR", "title:fox",
    "nothere:fox", "{title text}: fox", "- {title}: fox", "fox + dog", "+", "fox:", "a.b.c", "\\",
    "; DROP TABLE pages; --", "?1", "$x", "\ud800", "fox \udfff", "!?;:,.", "_", "__fox__",
    "\U0001f98a", "\u0301", "fox\u0301", "\u202efox", "ﬁsh", "İ", "ß", "²", "𞤀𞤁", "a" * 5000,
    "(" * 100_000, "fox " * 100_000, " ".join(f"w{i}" for i in range(100_000)),
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query[:12]))
def test_any_text_is_a_query(query: str) -> None:
    start = time.process_time()
    hits = NAMES.search(query)
    assert time.process_time() - start < 1
    plain = [word for word in ("fox", "dog") if word in words(query)]
    found = {hit.id for hit in NAMES.search(" ".join(plain))} if plain else set()
    assert found <= {hit.id for hit in NAMES.search(query, 50)}
    assert len(hits) <= 5


def test_operators_of_fts5_are_words() -> None:
    corpus = Corpus([Document("a", "x", "this and that"), Document("b", "y", "neither, not near")])
    assert [hit.id for hit in corpus.search("AND")] == ["a"]
    assert [hit.id for hit in corpus.search("this NOT that")] == ["a", "b"]
    assert [hit.id for hit in corpus.search("NEAR(this that)")][-1] == "b"
    assert corpus.search("tit*") == corpus.search("title:zzz") == []


def test_ten_megabytes_take_no_time() -> None:
    start = time.process_time()
    assert NAMES.search("fox" + "x" * 10_000_000) == []
    assert NAMES.search("fox " + "x" * 10_000_000)[0].id
    assert time.process_time() - start < 1
    assert len(words(" ".join(f"w{i}" for i in range(200)))) == MAX_WORDS


def test_random_unicode_never_raises() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        points = rng.integers(0x110000, size=20)
        NAMES.search("".join(map(chr, points)) + " fox")


def test_letters_with_accents_and_languages_without_spaces() -> None:
    corpus = Corpus(
        [Document("a", "Crème", "brûlée"), Document("b", "東京", "東京は日本の首都です。"),
         Document("c", "서울", "서울은 한국의 수도이다."), Document("d", "京都", "古い都")]
    )  # fmt: skip
    assert [hit.id for hit in corpus.search("creme BRULEE")] == ["a"]
    assert corpus.search("首都")[0].id == "b"
    assert {hit.id for hit in corpus.search("京")} == {"b", "d"}
    assert [hit.id for hit in corpus.search("서울")] == ["c"]


def test_parts_are_bounded_and_add_up_to_the_text() -> None:
    rng = np.random.default_rng(0)
    texts = {
        "empty": "",
        "short": "one line",
        "words": " ".join("x" * int(n) for n in rng.integers(1, 15, size=3000)),
        "lines": "\n".join("y" * int(n) for n in rng.integers(1, 300, size=300)),
        "one word": "z" * 9000,
        "exact": "a" * PART,
        "one more": "a" * (PART + 1),
    }
    corpus = Corpus([Document(name, name, text) for name, text in texts.items()])
    for name, text in texts.items():
        parts = [corpus.page(name, i + 1) for i in range(corpus.parts(name))]
        assert "".join(parts) == text and max(map(len, parts)) <= PART
        if name in ("words", "lines"):
            assert all(part[-1] in " \n" for part in parts[:-1])
        for wrong in (0, -1, len(parts) + 1):
            with pytest.raises(LookupError, match="parts"):
                corpus.page(name, wrong)
    assert corpus.parts("exact") == 1 and corpus.parts("one more") == 2
    with pytest.raises(LookupError, match="no document"):
        corpus.page("nowhere" * 10**6)


def test_what_is_no_corpus_is_refused() -> None:
    document = Document("a", "t", "x")
    for wrong in ([], [document, document], [Document("", "t", "x")]):
        with pytest.raises(ValueError):
            Corpus(wrong)
    for k in (0, 51):
        with pytest.raises(ValueError):
            NAMES.search("fox", k)


def test_documents_with_text_that_is_none() -> None:
    corpus = Corpus([Document("\ud800", "a\ud800b\x00", "fox\x00 \udfff end")])
    assert corpus.search("end")[0].id == "?" and "?" in corpus.page("?")


def test_copies_and_threads() -> None:
    assert copy.deepcopy(NAMES) is NAMES
    twin = pickle.loads(pickle.dumps(NAMES))
    assert twin.search("fox") == NAMES.search("fox")
    errors: list[BaseException] = []

    def search() -> None:
        try:
            for _ in range(200):
                assert twin.search("fox") == NAMES.search("fox")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_scores_are_those_of_sqlite() -> None:
    """FTS5 is a second implementation of words, accents and scores."""
    rng = np.random.default_rng(3)
    vocabulary = ["Crème", "brûlée", "İstanbul", "ß", "x1", "naïve", *(f"w{i}" for i in range(150))]
    share = 1 / np.arange(1, len(vocabulary) + 1)
    share /= share.sum()
    texts = [
        " ".join(rng.choice(vocabulary, size=int(rng.integers(1, 60)), p=share)) for _ in range(999)
    ]
    corpus = Corpus([Document(str(i), f"t{i}", text) for i, text in enumerate(texts)])
    peer = sqlite3.connect(":memory:")
    peer.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text)")
    peer.executemany(
        "INSERT INTO pages VALUES (?, ?)", [(d.title, d.text) for d in corpus.documents]
    )
    for _ in range(100):
        found = list(dict.fromkeys(rng.choice(vocabulary, size=4, p=share)))
        rare = [w for w in found if not corpus._index.is_common(fold(w))] or found
        rows = peer.execute(
            "SELECT rowid, -bm25(pages) AS score FROM pages WHERE pages MATCH ? "
            "ORDER BY score DESC, rowid LIMIT 5",
            (" OR ".join(f'"{word}"' for word in rare),),
        ).fetchall()
        hits = corpus.search(" ".join(found))
        assert [hit.score for hit in hits] == pytest.approx([row[1] for row in rows], rel=1e-9)
    peer.close()


def test_the_best_of_many_equal_scores_are_the_first() -> None:
    rng = np.random.default_rng(4)
    for size in (3, 700, 5000, 20_000):
        scores = rng.integers(0, 4, size=size).astype(float)
        scores[rng.integers(size)] = 9
        for k in (1, 5, 50):
            order = sorted(range(size), key=lambda place: -scores[place])
            assert _best(scores, k) == [place for place in order if scores[place] > 0][:k]
    assert _best(np.zeros(5000), 5) == []


def test_few_hits_among_many_documents_have_the_scores_of_all() -> None:
    texts = [f"common w{i % 997} w{i % 89}" for i in range(5000)]
    index = BM25Index(texts)
    documents = [Document(str(i), "", text) for i, text in enumerate(texts)]
    for query in ("w3", "w3 w96", "w5 w6 w7 w8 w9 w10 w11 w12"):  # one column, sparse, dense
        expected = sorted(bm25(documents, query).values(), reverse=True)[:7]
        assert [score for _, score in index.search(query.split(), 7)] == pytest.approx(expected)


def test_an_edited_corpus_hides_and_adds_documents() -> None:
    new = [Document("d0", "Page 0", "A red cat."), Document("new", "Cat", "The fox and the cat.")]
    corpus = EditedCorpus(NAMES, new, ["d5"])
    assert {document.id for document in corpus.documents} == {"d0", "d1", "d2", "d3", "d4", "new"}
    assert len(corpus) == 6 and "new" in corpus and "d5" not in corpus
    assert {hit.id for hit in corpus.search("cat", 50)} == {"d0", "new"}
    assert {hit.id for hit in corpus.search("fox", 50)} == {"d4", "new"}
    assert corpus.search("herring fish", 1)[0].id == "d1" and corpus.page("d0") == "A red cat."
    with pytest.raises(LookupError, match="d5"):
        corpus.document("d5")
    # The same text has the same score, whether it is new or old; the old one comes first.
    twin = EditedCorpus(NAMES, [Document("twin", "Page 4", TEXTS[4])]).search("quick fox")
    assert [hit.id for hit in twin[:2]] == ["d4", "twin"] and twin[0].score == twin[1].score
    assert copy.deepcopy(corpus) is corpus
    again = pickle.loads(pickle.dumps(corpus))
    assert again.search("cat fox") == corpus.search("cat fox")
    assert NAMES.search("herring fish")[0].id == "d5" and "new" not in NAMES


def test_corpus_of_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "documents.jsonl"
    rows = [{"id": "a", "title": "First", "text": "one\u2028two"}, {"id": 7, "text": "three"}]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", "utf-8")
    corpus = read_corpus(file)
    assert corpus.documents == (
        Document("a", "First", "one\u2028two"), Document("7", "7", "three"),
    )  # fmt: skip
    for wrong in ("nonsense", "[1]", '{"id": "b"}', '{"id": [], "text": "x"}', "[" * 10_000, "1"):
        file.write_text(f"{json.dumps(rows[0])}\n{wrong}\n", "utf-8")
        with pytest.raises(ValueError, match="line 2"):
            read_corpus(str(file))
    with pytest.raises(ValueError, match="neither"):
        read_corpus(tmp_path / "missing")


def test_corpus_of_a_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside"
    (folder / "b" / "c").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "b" / "c" / "two.md").write_bytes(b"\n# Two\n\nbad \xff byte")
    (folder / "one.TXT").write_text("One\nfox")
    (folder / "three.txt").write_text(" \n")
    (folder / "picture.png").write_bytes(b"fox")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    (folder / "b" / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    corpus = read_corpus(folder)
    assert [(d.id, d.title) for d in corpus.documents] == [
        ("b/c/two.md", "Two"), ("one.TXT", "One"), ("three.txt", "three"),
    ]  # fmt: skip
    assert "\ufffd" in corpus.page("b/c/two.md")
    with pytest.raises(ValueError, match="at least one"):
        (tmp_path / "empty").mkdir()
        read_corpus(tmp_path / "empty")
