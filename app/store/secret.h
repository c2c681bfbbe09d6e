/*
 * Passwords in the URLs of stores. They are taken out as soon as a URL is seen, so that no message, report,
 * list of processes or store can have one; whoever opens a connection asks for the whole URL. This is the
 * program's one list of them.
 */
#ifndef CKG_APP_SECRET_H
#define CKG_APP_SECRET_H

/*
 * Takes the password out of a URL, or of the URL that the word of a command line ends with, in place, and
 * remembers it. A word without one stays as it is. 0: out of memory, and the password is gone.
 */
int app_secret_take(char *word);

/* The URL with its password, which the caller frees; NULL without memory. */
char *app_secret_give(const char *url);

#endif
