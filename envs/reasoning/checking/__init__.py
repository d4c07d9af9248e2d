"""The parts of the answer checker, `zerogym.envs.reasoning.answers.equal`.

Read `tokens.py`, `answer_grammar.py`, `comparison.py`.
"""
