/** Texts of the request log. */

export const requestsText = {
  status: 'Status',
  statuses: { all: 'All', '2xx': '2xx', '3xx': '3xx', '4xx': '4xx', '5xx': '5xx' },
  path: 'Path begins with',
  slower: 'Slower than, ms',
  columns: {
    time: 'Time',
    status: 'Status',
    duration: 'Duration',
    request: 'Request',
    size: 'Size',
    client: 'Visitor network',
  },
  older: 'Show older',
  searchOn: 'Search further back',
  nothing: 'No request matches.',
  nothingYet: 'No request was written yet',
  nothingYetHelp: 'Requests appear here within ten seconds.',
  off: 'Requests are not written',
  offHelp:
    'The log has the path without its query, the status, the duration and the network of the visitor: no header, no body, no whole address. It may take a quarter of the space for logs, and begins at once, without a deployment.',
  offNow: 'Requests are not written any more: these are earlier ones.',
  turnOn: 'Write requests',
  turnOff: 'Stop writing requests',
  sampled: (percent: string) => `${percent} % of all requests, chosen at random, are written.`,
} as const;
