"""Decision transformers: actions as the next token after the return that is still to come."""
