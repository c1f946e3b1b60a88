"""Small models of when each source runs its jobs, written from the sources' own rules, apart from Punctual's engine.

A model answers one question: at which instants the source runs a job. Instants are whole seconds since 1970, UTC.
"""
