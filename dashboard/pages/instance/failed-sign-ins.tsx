/** Wrong keys and tokens, by minute and address, page by page. */

import { createMemo } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { useInfiniteQuery } from '../../api/use-query.ts';
import { auditText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { failedSignInsText } from './instance-care-text.ts';

type Reply = ReplyOf<'GET /api/system/failed-sign-ins'>;

const pageSize = 50;
/** There is no stream for them, so a visible page polls this often. */
const renewedMs = 15_000;

export function FailedSignIns() {
  const found = useInfiniteQuery(() => ({
    queryKey: ['operator', 'failed-sign-ins'],
    enabled: isOperator(),
    refetchInterval: renewedMs,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Reply) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      operatorApi.call('GET /api/system/failed-sign-ins', {
        query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
  }));
  const all = createMemo(() => found.data?.pages.flatMap((page) => page.failedSignIns) ?? []);
  return (
    <>
      <p class="quiet-text">
        <Refreshed query={found} />
      </p>
      <Answer query={found}>
        {() => (
          <>
            <ul class="lines">
              <Rows
                each={all()}
                by={({ minute, addressHash }) => `${minute} ${addressHash}`}
                fallback={<Empty title={failedSignInsText.none} help={failedSignInsText.noneHelp} inList />}
              >
                {(one) => (
                  <li class="one-line">
                    <div>
                      <p>{failedSignInsText.times(one().count)}</p>
                    </div>
                    <p class="quiet-text facts-line">
                      <span title={one().addressHash}>
                        {auditText.sameAddress(one().addressHash.slice(0, 8))}
                      </span>
                      <Age at={one().minute} />
                    </p>
                  </li>
                )}
              </Rows>
            </ul>
            <Show when={found.hasNextPage}>
              <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                {t.more}
              </Button>
            </Show>
          </>
        )}
      </Answer>
    </>
  );
}
