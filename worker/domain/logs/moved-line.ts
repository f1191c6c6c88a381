/** What readers of a log are told when its service moves: the log of each host is one of its own. */
export const movedLine =
  'The service has moved to another host. Open the stream again to follow it there; what it has printed there until now is found by a search.';
