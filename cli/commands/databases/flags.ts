/** The optional argument of commands about one database, instead of `-s`. */
import { serviceNames } from '../../session.ts';

export const databaseArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Name, project/service or id',
      parse: String,
      optional: true,
      placeholder: 'database',
      proposeCompletions: serviceNames,
    },
  ],
} as const;
