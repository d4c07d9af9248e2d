"""Texts: a mailbox, articles that link to each other, comments of a forum."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import Page, box, button, entry, form, hidden, link, text
from zerogym.envs.tools.web.site import Act, Data, Fields, Site, click, index_of, one, type_in
from zerogym.envs.tools.web.words import (
    PHRASES,
    SUBJECTS,
    TOPICS,
    listed,
    number,
    people,
    pick,
    sample,
    scaled,
)


@dataclass(frozen=True)
class Inbox(Site):
    """Answer, star, archive or delete the named mails."""

    category: ClassVar[str] = "inbox"
    mails: tuple[tuple[str, str], ...]  # sender and subject
    tasks: tuple[tuple[int, str, str], ...]  # mail, verb, text of the answer

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        count = scaled(difficulty, 6, 3, 60)
        senders = people(rng, -(-count // 2))  # two mails each: the subject decides
        mails = [(senders[i // 2], pick(rng, SUBJECTS[i % 2 :: 2])) for i in range(count)]
        tasks = []
        for mail in sample(rng, range(count), scaled(difficulty, 2, 0.5, 4)):
            verb = pick(rng, ("Reply", "Star", "Archive", "Delete"))
            tasks.append((mail, verb, pick(rng, PHRASES) if verb == "Reply" else ""))
        order = sample(rng, range(count), count)
        place = {mail: at for at, mail in enumerate(order)}
        moved = tuple((place[mail], verb, words) for mail, verb, words in tasks)
        return cls(0, tuple(mails[i] for i in order), moved)

    @property
    def question(self) -> str:
        said = []
        for mail, verb, words in self.tasks:
            sender, subject = self.mails[mail]
            which = f'the mail "{subject}" from {sender}'
            said.append(f'reply "{words}" to {which}' if words else f"{verb.lower()} {which}")
        return f"In the inbox {listed(said)}."

    def first_data(self) -> Data:
        return {"inbox": list(range(len(self.mails))), "done": []}

    def goal(self) -> Data:
        gone = {mail for mail, verb, _ in self.tasks if verb in ("Archive", "Delete")}
        done = sorted([mail, verb, words] for mail, verb, words in self.tasks)
        return {"inbox": [i for i in range(len(self.mails)) if i not in gone], "done": done}

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for place, (mail, verb, words) in enumerate(self.tasks):
            acts += [click("Inbox")] if place else []
            acts.append(click(" - ".join(self.mails[mail])))
            acts += [type_in("Reply to this mail", words)] if words else []
            acts.append(click(verb))
        return acts

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        bar = box("nav", link("Inbox", "/"))
        if path == "/":
            rows = [
                box("li", link(" - ".join(self.mails[i]), f"/mail?n={i}")) for i in data["inbox"]
            ]
            return self.page("Inbox", bar, box("ul", *rows))
        mail = index_of(fields, "n", len(self.mails))
        if path != "/mail" or mail is None:
            return None
        sender, subject = self.mails[mail]
        done = [text(f"Done: {verb.lower()}") for i, verb, _ in data["done"] if i == mail]
        kept = hidden("n", str(mail))
        answer = form("/do", kept, entry("Reply to this mail", "text"),
                      button("Reply", "verb", "Reply"))  # fmt: skip
        verbs = form(
            "/do",
            hidden("n", str(mail)),
            *(button(verb, "verb", verb) for verb in ("Star", "Archive", "Delete")),
        )
        return self.page(subject, bar, text(f"from {sender}"), *done, answer, verbs)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        mail, verb = index_of(fields, "n", len(self.mails)), one(fields, "verb")
        if path != "/do" or mail is None or verb not in ("Reply", "Star", "Archive", "Delete"):
            return None
        data["done"] = sorted([*data["done"], [mail, verb, one(fields, "text")]])
        if verb in ("Archive", "Delete") and mail in data["inbox"]:
            data["inbox"].remove(mail)
        return f"/mail?n={mail}"


@dataclass(frozen=True)
class Articles(Site):
    """Follow a path of links from article to article and bookmark the last one."""

    category: ClassVar[str] = "articles"
    links: ClassVar[int] = 4
    titles: tuple[str, ...]
    targets: tuple[tuple[int, ...], ...]  # of the links of each article
    path: tuple[int, ...]  # from the first article on

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        pool = [*TOPICS, *(f"{a} and {b.lower()}" for a in TOPICS[:10] for b in TOPICS[10:])]
        titles = sample(rng, pool, scaled(difficulty, 10, 5, 100))
        targets = tuple(
            sample(rng, [j for j in range(len(titles)) if j != i], cls.links)
            for i in range(len(titles))
        )
        path = [0]
        for _ in range(scaled(difficulty, 3, 1, 10)):
            onward = [i for i in targets[path[-1]] if i not in path]
            if not onward:
                break
            path.append(pick(rng, onward))
        return cls(0, titles, targets, tuple(path))

    @property
    def question(self) -> str:
        way = ", from there to ".join(f'"{self.titles[i]}"' for i in self.path[1:-1])
        return (
            f"Follow the links to {way}, and from there link number "
            f"{self.targets[self.path[-2]].index(self.path[-1]) + 1}; bookmark that article."
        )

    def is_sound(self) -> bool:
        """Return whether each link of the path is needed, at the place where it stands."""
        if len(self.path) < 4:
            return False
        places = [
            self.targets[a].index(b) for a, b in zip(self.path[:-1], self.path[1:], strict=True)
        ]
        for left_out in range(len(places)):
            at = 0
            for place in places[:left_out] + places[left_out + 1 :]:
                at = self.targets[at][place]
            if at == self.path[-1]:
                return False
        return True

    def first_data(self) -> Data:
        return {"bookmarks": []}

    def goal(self) -> Data:
        return {"bookmarks": [self.titles[self.path[-1]]]}

    def acts(self) -> Sequence[Act]:
        return [*(click(self.titles[i]) for i in self.path[1:]), click("Bookmark")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        article = index_of(fields, "n", len(self.titles)) if "n" in fields else 0
        if path != "/" or article is None:
            return None
        title = self.titles[article]
        marked = [text("This article is bookmarked.")] if title in data["bookmarks"] else []
        rows = [
            box("li", text(f"{place}."), link(self.titles[i], f"/?n={i}"))
            for place, i in enumerate(self.targets[article], 1)
        ]
        mark = form("/mark", hidden("n", str(article)), button("Bookmark"))
        return self.page(title, *marked, text("See also:"), box("ul", *rows), mark)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        article = index_of(fields, "n", len(self.titles))
        if path != "/mark" or article is None:
            return None
        data["bookmarks"].append(self.titles[article])
        return f"/?n={article}"


@dataclass(frozen=True)
class Forum(Site):
    """Answer the comment of one person in one thread, of which the title is given."""

    category: ClassVar[str] = "forum"
    threads: tuple[str, ...]
    comments: tuple[tuple[tuple[str, str], ...], ...]  # of each thread: who and what
    targets: tuple[tuple[int, int, str], ...]  # thread, comment, answer

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        threads, size = sample(rng, TOPICS, scaled(difficulty, 4, 2, 20)), 4
        authors = people(rng, size + 2)  # the same people write everywhere: the thread decides
        comments = tuple(
            tuple((who, pick(rng, PHRASES)) for who in sample(rng, authors, size)) for _ in threads
        )
        chosen = sample(rng, range(len(threads)), scaled(difficulty, 1, 0.5, 4))
        targets = tuple((t, number(rng, 0, size - 1), pick(rng, PHRASES)) for t in chosen)
        return cls(0, threads, comments, targets)

    @property
    def question(self) -> str:
        said = [
            f'answer the comment of {self.comments[t][c][0]} in "{self.threads[t]}" with "{words}"'
            for t, c, words in self.targets
        ]
        return f"In the forum {listed(said)}."

    def first_data(self) -> Data:
        return {"answers": []}

    def goal(self) -> Data:
        return {"answers": [list(target) for target in self.targets]}

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for place, (thread, comment, words) in enumerate(self.targets):
            acts += [click("All threads")] if place else []
            who = self.comments[thread][comment][0]
            acts += [click(self.threads[thread]), click("Answer", who)]
            acts += [type_in("Your answer", words), click("Send")]
        return acts

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        bar = box("nav", link("All threads", "/"))
        if path == "/":
            rows = [box("li", link(name, f"/thread?t={t}")) for t, name in enumerate(self.threads)]
            return self.page("Forum", bar, box("ul", *rows))
        thread = index_of(fields, "t", len(self.threads))
        if thread is None:
            return None
        if path == "/thread":
            rows = [
                box("tr", text(who), text(words), link("Answer", f"/answer?t={thread}&c={c}"))
                for c, (who, words) in enumerate(self.comments[thread])
            ]
            return self.page(self.threads[thread], bar, box("table", *rows))
        comment = index_of(fields, "c", len(self.comments[thread]))
        if path != "/answer" or comment is None:
            return None
        send = form("/send", hidden("t", str(thread)), hidden("c", str(comment)),
                    entry("Your answer", "text"), button("Send"))  # fmt: skip
        return self.page("Answer", bar, text(self.comments[thread][comment][1]), send)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        thread = index_of(fields, "t", len(self.threads))
        if path != "/send" or thread is None:
            return None
        comment = index_of(fields, "c", len(self.comments[thread]))
        if comment is None:
            return None
        data["answers"].append([thread, comment, one(fields, "text")])
        return f"/thread?t={thread}"
