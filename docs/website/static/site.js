// The search shows a summary of each page it finds, which it reads from the page. From a folder,
// without a server, browsers do not allow that.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
