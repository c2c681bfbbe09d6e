/* Who works here. */
#ifndef CKG_APP_WHO_H
#define CKG_APP_WHO_H

/* user@machine, for the history of a study. */
void app_who(char out[300]);

#endif
