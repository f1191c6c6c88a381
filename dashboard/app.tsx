/** The pages by address, and the parts that they share: the query cache and the frame. */
import { Route, Router, useParams } from '@solidjs/router';
import { QueryClientProvider } from '@tanstack/solid-query';
import type { Component } from 'solid-js';
import { queries } from './api/query-client.ts';
import { SignInCallback } from './pages/account/provider-callback.tsx';
import { SignIn } from './pages/account/sign-in.tsx';
import { NotFound } from './pages/home/not-found.tsx';
import { Projects } from './pages/home/projects.tsx';
import { Frame } from './shell/frame.tsx';
import { lazyRoom } from './ui/lazy-room.ts';
import { Show } from './ui/show.ts';

const Project = lazyRoom(async () => ({ default: (await import('./pages/project/project.tsx')).Project }));
const Service = lazyRoom(async () => ({ default: (await import('./pages/service/service.tsx')).Service }));
const Deployment = lazyRoom(async () => ({
  default: (await import('./pages/service/deployment/deployment.tsx')).Deployment,
}));
const NewService = lazyRoom(async () => ({
  default: (await import('./pages/project/new-service/new-service.tsx')).NewService,
}));
const Alerts = lazyRoom(async () => ({ default: (await import('./pages/home/alerts/alerts.tsx')).Alerts }));
const Trash = lazyRoom(async () => ({ default: (await import('./pages/home/trash.tsx')).Trash }));
const Members = lazyRoom(async () => ({
  default: (await import('./pages/account/members/members.tsx')).Members,
}));
const OwnAudit = lazyRoom(async () => ({
  default: (await import('./pages/account/own-audit.tsx')).OwnAudit,
}));
const Credentials = lazyRoom(async () => ({
  default: (await import('./pages/account/credentials/credentials.tsx')).Credentials,
}));
const Operator = lazyRoom(async () => ({
  default: (await import('./pages/instance/operator.tsx')).Operator,
}));
const Device = lazyRoom(async () => ({ default: (await import('./pages/account/device.tsx')).Device }));
const Settings = lazyRoom(async () => ({ default: (await import('./pages/account/settings.tsx')).Settings }));

export const App = () => (
  <QueryClientProvider client={queries}>
    <Router root={Frame}>
      <Route path="/" component={Projects} />
      <Route path="/sign-in" component={SignIn} />
      <Route path="/sign-in/callback/:provider?" component={SignInCallback} />
      <Route path="/projects/:slug/:tab?" component={pageForEach('slug', Project)} />
      <Route path="/projects/:slug/new" component={pageForEach('slug', NewService)} />
      <Route path="/services/:serviceId/:tab?/:entry?" component={pageForEach('serviceId', Service)} />
      <Route path="/deployments/:deploymentId" component={pageForEach('deploymentId', Deployment)} />
      <Route path="/alerts" component={Alerts} />
      <Route path="/deleted" component={Trash} />
      <Route path="/members" component={Members} />
      <Route path="/audit" component={OwnAudit} />
      <Route path="/credentials" component={Credentials} />
      <Route path="/operator/:room?" component={Operator} />
      <Route path="/device" component={Device} />
      <Route path="/settings" component={Settings} />
      <Route path="*" component={NotFound} />
    </Router>
  </QueryClientProvider>
);

/**
 * Creates a new page for each value of a part of its address, such as the id of a service. Otherwise the router keeps the page when only this part
 * changes, and the typed text and choices for one service would appear at the next one and be saved there.
 */
const pageForEach =
  (part: string, Page: Component): Component =>
  () => {
    const params = useParams();
    return (
      <Show when={params[part]} keyed>
        <Page />
      </Show>
    );
  };
