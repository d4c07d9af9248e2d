"""Planning and search: any valid plan scores, checked by executing it."""
