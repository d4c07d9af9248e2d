"""Language and machines: grammars, automata, programs, words and patterns."""
