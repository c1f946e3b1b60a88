"""Pure rules: values, schedules, the transition table.

Imports the standard library alone, but for croniter in `cron` and holidays in `country_calendars`.
"""
