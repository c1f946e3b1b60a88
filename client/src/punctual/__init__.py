"""Client of Punctual: create jobs, follow their executions, and receive their calls."""
