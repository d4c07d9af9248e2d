"""Tools: worlds in which the policy must run something (SQL, code, search) to succeed."""
