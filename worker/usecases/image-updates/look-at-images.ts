/** Asks registries for the digests of watched images, by the hosts that run them: those have the network, and may ask private registries. */
import { registryName } from '../../../protocol/credentials.ts';
import { imageDigestAnswerSchema } from '../../../protocol/host-request.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { ApiError } from '../../domain/errors.ts';
import { nextLookAt } from '../../domain/image-updates/image-update.ts';
import { registryHostOf } from '../../domain/sources/image-reference.ts';
import { sealBox } from '../../security/sealed-box.ts';
import {
  type DueLook,
  deleteImageUpdate,
  insertMissingRows,
  type SameImage,
  selectDueLooks,
  writeDigest,
  writeTrouble,
} from '../../store/image-updates/image-update-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openLogins } from '../sources/registries.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'envelope' | 'now' | 'fillRandom'>;

/** Requests to hosts and writes stay far below the 1,000 calls of a run. */
const looksPerRun = 64;
/** A host answers after 25 s at the latest. */
const answerTimeoutMs = 30_000;

type Answer = { digest: string } | { reason: string; waitMs: number | null };

/**
 * Asks for the images that are due, once for each image, host and tenant. Hosts that are not connected are skipped, and asked when they
 * are back.
 * @returns the number of questions
 */
export async function lookAtImages(deps: Needs): Promise<number> {
  await insertMissingRows(deps.db, deps.now());
  const due = await selectDueLooks(deps.db, deps.now(), looksPerRun);
  const ended = due.filter(({ setting, kind }) => setting === null || kind !== 'image');
  await Promise.all(ended.map(({ serviceId }) => deleteImageUpdate(deps.db, serviceId)));
  const groups = Map.groupBy(
    due.filter((one) => !ended.includes(one)),
    ({ runnerId, tenantId, imageRef }) => JSON.stringify([runnerId, tenantId, imageRef]),
  );
  const outcomes = await Promise.allSettled([...groups.values()].map((group) => lookAt(deps, group)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error("A registry's answer was lost:", outcome.reason);
  }
  return groups.size;
}

async function lookAt(deps: Needs, group: readonly DueLook[]): Promise<void> {
  const [first] = group;
  if (!first?.imageRef) return;
  const image: SameImage = {
    runnerId: first.runnerId,
    tenantId: first.tenantId,
    imageRef: first.imageRef,
  };
  const answer = await ask(deps, first, image.imageRef);
  const at = deps.now();
  if ('digest' in answer) {
    await writeDigest(deps.db, image, answer.digest, at, nextLookAt(at, chanceOf(deps)));
    return;
  }
  const { reason, waitMs } = answer;
  const failures = Math.max(...group.map((one) => one.failures));
  const checkAt = nextLookAt(at, chanceOf(deps), { failures, waitMs });
  await writeTrouble(deps.db, image, { reason, at, checkAt });
}

async function ask(deps: Needs, look: DueLook, imageRef: string): Promise<Answer> {
  const { runnerId, hostName, sealingKey, facts, registries } = look;
  if (!facts.imageDigests)
    return noAnswer(
      `The runner of ${hostName} is too old to ask registries: upgrade the host (docs/operate/upgrades.md).`,
    );
  try {
    const registry = registryName(registryHostOf(imageRef));
    const logins = await openLogins(
      deps,
      registries.filter(({ host }) => host === registry),
    );
    const sealed = await sealBox(sealingKey, requestPlace(runnerId, 'image-digest'), JSON.stringify(logins));
    const request = { op: 'image-digest', imageRef, sealed } as const;
    const answer = await deps.hubs.request(runnerId, request, answerTimeoutMs);
    if (!answer.ok) return noAnswer(`${hostName} gave no answer: ${answer.message}`);
    const { data } = safeParseUntrusted(imageDigestAnswerSchema, answer.value);
    if (!data) return noAnswer(`The answer of ${hostName} was not understood: upgrade the host.`);
    return data.found === 'digest' ? { digest: data.digest } : { reason: data.reason, waitMs: data.waitMs };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof UndispatchableError)) throw error;
    return noAnswer(error.message);
  }
}

const noAnswer = (reason: string): Answer => ({ reason, waitMs: null });

/** Spreads the questions of many services over time. */
function chanceOf({ fillRandom }: Pick<Needs, 'fillRandom'>): number {
  const byte = new Uint8Array(1);
  fillRandom(byte);
  return (byte[0] ?? 0) / 255;
}
