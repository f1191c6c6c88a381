/** The channels that get events of a project. */
import type { Project } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { EditedList } from '../edited-list.tsx';
import { ChannelRow } from './channel-row.tsx';
import { EditChannel } from './edit-channel.tsx';
import { useChannels } from './queries.ts';

export function Channels(props: { project: Project; mayWrite: boolean }) {
  const query = useChannels();
  return (
    <EditedList
      query={query}
      title={t.notices.channels}
      help={t.notices.channelsHelp}
      mayEdit={props.mayWrite}
      add={t.notices.add}
      none={{ title: t.notices.none, help: t.notices.noneHelp }}
      only={({ projectId }) => projectId === null || projectId === props.project.id}
      row={(channel, edit) => <ChannelRow channel={channel()} mayWrite={props.mayWrite} onEdit={edit} />}
      dialog={(channel, close) => <EditChannel project={props.project} channel={channel} onClose={close} />}
    />
  );
}
