/** The channels that get events of a project. */
import { createSignal } from 'solid-js';
import type { Project } from '../../api/queries.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { ChannelRow } from './channel-row.tsx';
import { EditChannel } from './edit-channel.tsx';
import { type Channel, useChannels } from './queries.ts';

export function Channels(props: { project: Project; mayWrite: boolean }) {
  const channels = useChannels();
  const [edited, setEdited] = createSignal<Channel | 'new'>();
  usePageCommands(() => (props.mayWrite ? [{ label: t.notices.add, run: () => setEdited('new') }] : []));
  const own = (all: readonly Channel[]) =>
    all.filter(({ projectId }) => projectId === null || projectId === props.project.id);
  return (
    <section class="stack">
      <div class="toolbar">
        <div>
          <h2>{t.notices.channels}</h2>
          <p class="quiet-text">{t.notices.channelsHelp}</p>
        </div>
        <Show when={props.mayWrite}>
          <Button kind="primary" icon={PlusIcon} onClick={() => setEdited('new')}>
            {t.notices.add}
          </Button>
        </Show>
      </div>
      <Answer query={channels} lines={2}>
        {(all) => (
          <ul class="lines">
            <Rows
              each={own(all())}
              fallback={<Empty title={t.notices.none} help={t.notices.noneHelp} inList />}
            >
              {(channel) => (
                <ChannelRow
                  channel={channel()}
                  mayWrite={props.mayWrite}
                  onEdit={() => setEdited(channel())}
                />
              )}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(channel) => (
          <EditChannel
            project={props.project}
            channel={channel === 'new' ? undefined : channel}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
    </section>
  );
}
