"""Word lists of the logic tasks: one token each, no word in two lists, all of them common."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words(
    """Ada Alan Amir Anna Ben Bruno Carl Clara Dana David Dora Elsa Emil Erik Eva Fatima Felix Fiona
    Gina Hana Hugo Ida Igor Ines Iris Ivan Jakob Jana Joan Jonas Julia Karim Kira Lara Lea Leo Lina
    Luca Maja Mara Mila Mira Nadia Nils Nina Noah Nora Olga Omar Oscar Paula Petra Rafael Rosa Samir
    Sara Selma Simon Sofia Tara Theo Tina Tom Ugo Uma Vera Viktor Walter Yara Yusuf Zoe"""
)

ADJECTIVES = _words(
    """active brave calm careful clever curious eager famous friendly funny gentle happy honest kind
    lazy loud lucky modest nervous patient polite proud quick quiet rich serious shy strong tall
    tired wise young"""
)

# Third person; without the last letter they are the plain verb.
VERBS = _words(
    """admires advises calls defends follows greets helps hires invites knows likes meets obeys
    pays praises remembers rescues supports thanks trusts visits"""
)

# Plurals, for "All ... are ...".
KINDS = _words(
    """actors artists athletes bakers barbers bankers builders carpenters chefs clerks collectors
    critics dancers dentists divers doctors drivers editors engineers explorers farmers fishers
    gardeners guards guides hikers historians hunters inventors jewellers judges jugglers lawyers
    librarians mechanics miners musicians nurses painters pianists pilots plumbers poets potters
    printers runners sailors scholars sculptors singers skaters soldiers surgeons swimmers tailors
    teachers traders travellers waiters weavers welders writers"""
)
