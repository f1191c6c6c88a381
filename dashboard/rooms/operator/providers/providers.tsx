/** Identity providers of the instance: list, connect, change, test, remove. */
import { t } from '../../../text/text.ts';
import { EditedList } from '../../edited-list.tsx';
import { EditProvider } from './edit-provider.tsx';
import { ProviderRow } from './provider-row.tsx';
import { useProviders } from './source.ts';

export function Providers() {
  const query = useProviders();
  return (
    <EditedList
      query={query}
      isPage
      title={t.providers.title}
      help={t.providers.help}
      mayEdit
      add={t.providers.add}
      none={{ title: t.providers.none, help: t.providers.noneHelp }}
      row={(provider, edit) => <ProviderRow provider={provider()} onEdit={edit} />}
      dialog={(provider, close) => <EditProvider provider={provider} onClose={close} />}
    />
  );
}
