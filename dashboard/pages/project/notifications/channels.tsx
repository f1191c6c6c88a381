/** The channels that get events of a project. */
import type { Project } from '../../../api/queries.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { noticesText } from '../../../text/notices-text.ts';
import { ChannelRow } from './channel-row.tsx';
import { EditChannel } from './edit-channel.tsx';
import { useChannels } from './notification-queries.ts';

export function Channels(props: { project: Project; mayWrite: boolean }) {
  const query = useChannels();
  return (
    <EditedList
      query={query}
      title={noticesText.channels}
      help={noticesText.channelsHelp}
      mayEdit={props.mayWrite}
      add={noticesText.add}
      none={{ title: noticesText.none, help: noticesText.noneHelp }}
      only={({ projectId }) => projectId === null || projectId === props.project.id}
      row={(channel, edit) => <ChannelRow channel={channel()} mayWrite={props.mayWrite} onEdit={edit} />}
      dialog={(channel, close) => <EditChannel project={props.project} channel={channel} onClose={close} />}
    />
  );
}
