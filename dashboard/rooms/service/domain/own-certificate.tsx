/** The owner's own certificate of a domain: its details, replacement and removal. Its key is sent once and never shown. */
import { useQuery } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { t } from '../../../text/text.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm, Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { GiveCertificate } from './give-certificate.tsx';

const route = '/api/services/:serviceId/domains/:domainId/certificate';
type Known = NonNullable<
  ReplyOf<'GET /api/services/:serviceId/domains/:domainId/certificate'>['ownCertificate']
>;

interface OwnCertificateProps {
  domain: Overview['domains'][number];
  mayWrite: boolean;
  onClose(): void;
}

export function OwnCertificate(props: OwnCertificateProps) {
  const { id, serviceId, hostname } = props.domain;
  const params = { serviceId, domainId: id };
  const [isRemoving, setIsRemoving] = createSignal(false);
  const queryKey = ['own-certificate', id];
  const query = useQuery(() => ({
    queryKey,
    queryFn: ({ signal }) => api.call(`GET ${route}`, { params, signal }),
  }));
  // Only once it is loaded: otherwise the dialog would leave the document during loading.
  const answered = {
    get data() {
      return known(query);
    },
    get error() {
      return query.error;
    },
    get isFetching() {
      return query.isFetching;
    },
    refetch: () => query.refetch(),
  };
  const renew = async () => {
    await Promise.all([queries.invalidateQueries({ queryKey }), renewService(serviceId)]);
  };
  const remove = () =>
    attempt(async () => {
      const { proxy } = await api.call(`DELETE ${route}`, { params });
      say([t.ownCertificate.removed(hostname), ...(proxy.ok ? [] : [proxy.detail])].join('. '));
      await renew();
    });
  return (
    <Dialog title={t.ownCertificate.title(hostname)} wide onClose={props.onClose}>
      <Answer query={answered} lines={3}>
        {(data) => (
          <>
            <Show
              when={data().ownCertificate}
              fallback={
                <p class="quiet-text">
                  {t.ownCertificate.automatic} {props.mayWrite && t.ownCertificate.mayGive}
                </p>
              }
            >
              {(certificate) => (
                <KnownCertificate
                  known={certificate()}
                  mayWrite={props.mayWrite}
                  onRemove={() => setIsRemoving(true)}
                />
              )}
            </Show>
            <Show when={props.mayWrite}>
              <GiveCertificate
                domain={props.domain}
                isReplacing={data().ownCertificate !== null}
                onGiven={() => void renew()}
              />
            </Show>
          </>
        )}
      </Answer>
      <Show when={isRemoving()}>
        <Confirm
          title={t.ownCertificate.removeTitle(hostname)}
          help={t.ownCertificate.removeHelp}
          submit={t.ownCertificate.remove}
          danger
          onClose={() => setIsRemoving(false)}
          onConfirm={() => void remove()}
        />
      </Show>
    </Dialog>
  );
}

function KnownCertificate(props: { known: Known; mayWrite: boolean; onRemove(): void }) {
  const certificate = () => props.known;
  const hasEnded = () => Date.parse(certificate().expiresAt) <= Date.now();
  const facts = (): [string, string][] => [
    [t.ownCertificate.names, certificate().names.join(', ')],
    [t.ownCertificate.issuer, certificate().issuer],
    [
      t.ownCertificate.valid,
      t.ownCertificate.span(exactTime(certificate().validFrom), exactTime(certificate().expiresAt)),
    ],
    [t.ownCertificate.key, certificate().keyType],
    [t.ownCertificate.chainName, t.ownCertificate.chain(certificate().chainLength)],
    [t.ownCertificate.fingerprint, certificate().fingerprint],
  ];
  return (
    <section class="own-certificate">
      <p classList={{ warning: hasEnded() }}>{hasEnded() ? t.ownCertificate.ended : t.ownCertificate.own}</p>
      <dl class="facts">
        {facts().map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button kind="danger" class="small" onClick={props.onRemove}>
            {t.ownCertificate.remove}
          </Button>
        </div>
      </Show>
    </section>
  );
}
