"""Settings of forward-backward training, in groups: what each is about is a file."""
