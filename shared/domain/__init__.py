"""Pure rules: values, schedules, the transition table. Imports the standard library alone (croniter in `cron`, holidays in
`country_calendars`)."""
