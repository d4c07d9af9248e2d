"""Language-model policies and their training."""
