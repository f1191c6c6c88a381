/** Texts of the rooms of a project. */

export const projectLogsText = {
  tooMany: 'Choose services',
  tooManyHelp: (most: number, all: number) =>
    `A search covers at most ${most} services, and this project has ${all}. Choose some above.`,
  takeFirst: (n: number) => `Take the first ${n}`,
  noMore: (most: number) => `At most ${most}: remove one to add another.`,
  search: 'Search the output of services',
  level: 'Level',
  allLevels: 'All levels',
  levels: {
    trace: 'Trace',
    debug: 'Debug',
    info: 'Info',
    warn: 'Warning',
    error: 'Error',
    fatal: 'Fatal',
  },
  span: 'Time',
  spans: {
    live: 'Live',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
  },
  services: 'Services',
  allServices: 'All services',
  addService: 'Add another',
  chosen: 'Chosen services',
  without: (name: string) => `Without ${name}`,
  older: 'Older lines',
  nothing: 'No lines match',
  replica: (n: number) => `#${n}`,
} as const;
