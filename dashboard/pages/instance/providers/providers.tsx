/** Identity providers of the instance: list, connect, change, test, remove. */

import { EditedList } from '../../../shell/edited-list.tsx';
import { providersText } from '../providers-text.ts';
import { EditProvider } from './edit-provider.tsx';
import { useProviders } from './provider-draft.ts';
import { ProviderRow } from './provider-row.tsx';

export function Providers() {
  const query = useProviders();
  return (
    <EditedList
      query={query}
      isPage
      title={providersText.title}
      help={providersText.help}
      mayEdit
      add={providersText.add}
      none={{ title: providersText.none, help: providersText.noneHelp }}
      row={(provider, edit) => <ProviderRow provider={provider()} onEdit={edit} />}
      dialog={(provider, close) => <EditProvider provider={provider} onClose={close} />}
    />
  );
}
