/** The encryption key of the instance, and the progress of its rotation. */

import type { ReplyOf } from '../../../../client/client.ts';
import { isOperator, operatorApi } from '../../../api/operator.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Show } from '../../../ui/show.ts';
import { encryptionText } from './encryption-text.ts';

type Status = ReplyOf<'GET /api/system/encryption'>['encryption'];

const texts = encryptionText;

export function Encryption() {
  const status = useQuery(() => ({
    queryKey: ['operator', 'encryption'],
    enabled: isOperator(),
    queryFn: async ({ signal }) =>
      (await operatorApi.call('GET /api/system/encryption', { signal })).encryption,
  }));
  return (
    <section class="panel">
      <header>
        <h2>{texts.title}</h2>
        <small class="quiet-text">
          <Refreshed query={status} />
        </small>
      </header>
      <p class="quiet-text">{texts.help}</p>
      <Answer query={status} lines={2}>
        {(data) => (
          <>
            <dl class="quotas">
              <div>
                <dt>{texts.key}</dt>
                <dd>
                  <code>{data().key}</code>
                </dd>
              </div>
              <Show when={data().previousKey}>
                {(previous) => (
                  <div>
                    <dt>{texts.previous}</dt>
                    <dd>
                      <code>{previous()}</code>
                    </dd>
                  </div>
                )}
              </Show>
              <div>
                <dt>{texts.toReseal}</dt>
                <dd>{data().rowsToReseal.toLocaleString('en')}</dd>
              </div>
              <Show when={data().rowsWithoutKey > 0}>
                <div>
                  <dt>{texts.lost}</dt>
                  <dd>{data().rowsWithoutKey.toLocaleString('en')}</dd>
                </div>
              </Show>
            </dl>
            <Show when={nextStep(data())}>{(step) => <p class="facts-line">{step()}</p>}</Show>
          </>
        )}
      </Answer>
    </section>
  );
}

function nextStep({ previousKey, rowsToReseal, rowsWithoutKey }: Status): string | undefined {
  if (rowsWithoutKey > 0) return texts.isLost;
  if (previousKey === null) return undefined;
  return rowsToReseal > 0 ? texts.isRotating : texts.mayRemove;
}
