/** The optional argument of commands about one database, in place of `-s`. */
export const databaseArgument = {
  kind: 'tuple',
  parameters: [
    { brief: 'Name, project/service or id', parse: String, optional: true, placeholder: 'database' },
  ],
} as const;
