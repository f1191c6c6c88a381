/** The update of a service to a new digest of its image, as the API shows it. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { opensAt, shortDigest } from '../../domain/image-updates/image-update.ts';
import { openUntil, updateWindowOf } from '../../domain/values/update-window.ts';
import type { ImageUpdateRow } from '../../store/image-updates/image-update-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';

const exampleDigest = 'sha256:9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c';
const time = z.iso.datetime().nullable();
const digest = z.string().nullable();

export const imageUpdateSchema = z.strictObject({
  state: z
    .enum(['off', 'unknown', 'current', 'available', 'backup', 'deploy', 'restore'])
    .describe(
      '`off`: the setting is null; `unknown`: the registry has not answered yet; `current`: nothing to deploy; `available`: a new digest waits; `backup`, `deploy` or `restore`: the step of the update that is under way.',
    ),
  summary: z
    .string()
    .meta(note('The state as a sentence.', 'nginx:1.29 has a new build, sha256:9b2c1f0e4d6a: deploys at …')),
  liveDigest: digest.meta(note('Digest of the live version; null: not known.', exampleDigest)),
  digest: digest.meta(note('Digest that the tag has at its registry; null: not known.', exampleDigest)),
  seenAt: time.describe('When the tag was first seen with it.'),
  deploysAt: time.describe('The earliest time at which it deploys by itself; null: it does not.'),
  checkedAt: time.describe('When the registry answered last.'),
  trouble: z
    .string()
    .nullable()
    .meta(
      note(
        'Why the registry gave no answer; null: it did.',
        'The registry of nginx:1.29 cannot be reached: registry-1.docker.io cannot be reached.',
      ),
    ),
  outcome: z
    .strictObject({
      result: z
        .enum(['deployed', 'failed', 'postponed'])
        .describe('A digest that `failed` is not tried again; one that was `postponed` is.'),
      digest: z.string().meta(note('The digest that was to be deployed.', exampleDigest)),
      detail: z.string().meta(note('What happened, as a sentence.', 'The new version is live.')),
      at: z.iso.datetime().describe('When it ended.'),
    })
    .nullable()
    .describe('How the last update ended; null: there was none.'),
});

type Shown = z.infer<typeof imageUpdateSchema>;

/** @param row undefined if the image is not watched, or not yet */
export function presentImageUpdate(
  service: ServiceRow,
  row: ImageUpdateRow | undefined,
  liveDigest: string | null,
  now: number,
): Shown {
  const setting = service.kind === 'image' ? service.pushSettings?.imageUpdates : undefined;
  const window = setting === undefined ? undefined : updateWindowOf(setting);
  const known = row?.imageRef === service.imageRef ? row : undefined;
  const state = stateOf(row, known, liveDigest, window !== undefined);
  const deploysAt =
    state === 'available' && window && !service.stopped && row?.trouble === null
      ? opensAt(window, Math.max(now, known?.retryAt ?? 0))
      : null;
  const isOpen = window !== undefined && openUntil(window, now) !== undefined;
  return {
    state,
    summary: summaryOf(service, { state, digest: known?.digest ?? null, deploysAt, isOpen, row }),
    liveDigest,
    digest: known?.digest ?? null,
    seenAt: timeOf(known?.seenAt),
    deploysAt: timeOf(deploysAt),
    checkedAt: timeOf(known?.checkedAt),
    trouble: row?.trouble ?? null,
    outcome: row?.outcome ? outcomeOf(row.outcome) : null,
  };
}

function stateOf(
  row: ImageUpdateRow | undefined,
  known: ImageUpdateRow | undefined,
  liveDigest: string | null,
  isOn: boolean,
): Shown['state'] {
  if (row?.attempt) return row.attempt.step;
  if (!isOn) return 'off';
  if (!known?.digest) return 'unknown';
  return known.digest === liveDigest || known.digest === known.handledDigest ? 'current' : 'available';
}

function summaryOf(
  { imageRef, stopped }: ServiceRow,
  update: {
    state: Shown['state'];
    digest: string | null;
    deploysAt: number | null;
    isOpen: boolean;
    row: ImageUpdateRow | undefined;
  },
): string {
  const { state, digest, deploysAt, row } = update;
  const image = imageRef ?? 'The image';
  const what = shortDigest(row?.attempt?.digest ?? digest ?? '');
  const { outcome } = row ?? {};
  switch (state) {
    case 'off':
      return 'New digests of its image deploy by hand only (setting "imageUpdates").';
    case 'unknown':
      return `The registry has not said yet which digest ${image} has${row?.trouble ? `: ${row.trouble}` : '.'}`;
    case 'current':
      return outcome?.result === 'failed' && outcome.digest === digest
        ? `${what} of ${image} failed and is not tried again by itself: ${outcome.detail}`
        : `${image} has no new build.`;
    case 'available': {
      const when =
        row?.trouble ??
        (stopped
          ? 'It deploys by itself once the service has been started.'
          : deploysAt === null
            ? 'It deploys by hand only.'
            : `It deploys by itself ${update.isOpen && outcome?.result !== 'postponed' ? 'now' : `at ${new Date(deploysAt).toISOString()}`}.`);
      const before = outcome?.result === 'postponed' ? ` ${outcome.detail}` : '';
      return `${image} has a new build, ${what}. ${when}${before}`;
    }
    case 'backup':
      return `${what} of ${image} deploys when the volumes are backed up and their backups are proven.`;
    case 'deploy':
      return `${what} of ${image} is being deployed.`;
    case 'restore':
      return `${what} of ${image} failed: the volumes are being restored.`;
  }
}

const outcomeOf = ({ result, digest, detail, at }: NonNullable<ImageUpdateRow['outcome']>) => ({
  ...{ result, digest, detail },
  at: new Date(at).toISOString(),
});

const timeOf = (moment: number | null | undefined): string | null =>
  moment == null ? null : new Date(moment).toISOString();
