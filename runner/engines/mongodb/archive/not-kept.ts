/** Lists parts of the server that the archive does not restore. */
import type { ServerDefaults } from '../parameters.ts';
import { documentIn, type ListedCollection } from './metadata.ts';
import { elementsOf } from './ordered-json.ts';

/** BSON's `true`. */
const yes = 1;

/** @returns one sentence for each collection */
export const notKeptOf = (
  listed: readonly Pick<ListedCollection, 'db' | 'collection' | 'options'>[],
): string[] =>
  listed
    .filter(({ options }) => hasImages(options))
    .map(
      ({ db, collection }) =>
        `The option changeStreamPreAndPostImages of ${db}.${collection} is left out, with the stored images: set it again with collMod after a restore.`,
    );

/** @returns at most one sentence */
export const clusterParametersNotKept = (names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [
        `Parameters set with setClusterParameter are left out: ${names.join(', ')}. Set them again after a restore.`,
      ];

/** @returns at most one sentence for each command */
export const defaultsNotKept = ({ compatibility, hasDefaultConcern }: ServerDefaults): string[] => [
  ...(compatibility === undefined
    ? []
    : [
        `The featureCompatibilityVersion ${compatibility} is left out: a restored server has that of its own version. Set it again after a restore.`,
      ]),
  ...(hasDefaultConcern
    ? ['The defaults of setDefaultRWConcern are left out: set them again after a restore.']
    : []),
];

/** https://www.mongodb.com/docs/manual/reference/command/collMod/#change-streams-with-document-pre--and-post-images */
function hasImages(options: Uint8Array): boolean {
  const enabled = elementsOf(documentIn(options, 'changeStreamPreAndPostImages')).find(
    ({ name }) => name === 'enabled',
  );
  return enabled?.value[0] === yes;
}
