/** Whether the registry has a new digest of the service's image, and when it deploys by itself, as a sentence. */

import { api } from '../../api/client.ts';
import { known } from '../../api/known.ts';
import { useQuery } from '../../api/use-query.ts';
import { Show } from '../../ui/show.ts';

export function ImageUpdate(props: { serviceId: string }) {
  const update = useQuery(() => ({
    queryKey: ['service', props.serviceId, 'image-update'],
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { serviceId: props.serviceId };
      return (await api.call('GET /api/services/:serviceId/image-update', { params, signal })).imageUpdate;
    },
  }));
  return <Show when={known(update)}>{(shown) => <span>{shown().summary}</span>}</Show>;
}
