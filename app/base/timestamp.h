/* Times for people and for JSON. */
#ifndef CKG_APP_TIMESTAMP_H
#define CKG_APP_TIMESTAMP_H

/* "2026-01-31 14:00:05" in local time, or NULL for NAN. */
const char *app_timestamp(double seconds, char out[32]);

/* "2026-01-31T13:00:05Z", likewise. */
const char *app_timestamp_utc(double seconds, char out[32]);

#endif
