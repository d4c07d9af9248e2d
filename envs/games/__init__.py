"""Games: rules as pure functions, with exact values, opponents and two views each."""
