/** The pages by address, and what they share: the query cache and the shell. */
import { Route, Router } from '@solidjs/router';
import { QueryClientProvider } from '@tanstack/solid-query';
import { queries } from './api/query-client.ts';
import { NotFound } from './rooms/not-found.tsx';
import { Projects } from './rooms/projects.tsx';
import { SignInCallback } from './rooms/provider-callback.tsx';
import { SignIn } from './rooms/sign-in.tsx';
import { Frame } from './shell/frame.tsx';
import { pageForEach } from './shell/page-for-each.tsx';
import { lazyRoom } from './ui/lazy-room.ts';

const Project = lazyRoom(async () => ({ default: (await import('./rooms/project.tsx')).Project }));
const Service = lazyRoom(async () => ({ default: (await import('./rooms/service/service.tsx')).Service }));
const Deployment = lazyRoom(async () => ({
  default: (await import('./rooms/deployment/deployment.tsx')).Deployment,
}));
const NewService = lazyRoom(async () => ({
  default: (await import('./rooms/new-service/new-service.tsx')).NewService,
}));
const Alerts = lazyRoom(async () => ({ default: (await import('./rooms/alerts/alerts.tsx')).Alerts }));
const Trash = lazyRoom(async () => ({ default: (await import('./rooms/trash.tsx')).Trash }));
const Members = lazyRoom(async () => ({ default: (await import('./rooms/members/members.tsx')).Members }));
const Credentials = lazyRoom(async () => ({
  default: (await import('./rooms/credentials/credentials.tsx')).Credentials,
}));
const Operator = lazyRoom(async () => ({
  default: (await import('./rooms/operator/operator.tsx')).Operator,
}));
const Settings = lazyRoom(async () => ({ default: (await import('./rooms/settings.tsx')).Settings }));

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
      <Route path="/credentials" component={Credentials} />
      <Route path="/operator/:room?" component={Operator} />
      <Route path="/settings" component={Settings} />
      <Route path="*" component={NotFound} />
    </Router>
  </QueryClientProvider>
);
