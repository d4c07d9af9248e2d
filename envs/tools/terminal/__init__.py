"""Terminal: jobs of several steps over files, archives, logs, tables and a database.

Read `job.py` (a job and the checks of its end), `file_jobs.py`, `data_jobs.py`, `env.py`.
"""
