/** The pages by address, and what they share: the query cache and the shell. */
import { Route, Router } from '@solidjs/router';
import { QueryClientProvider } from '@tanstack/solid-query';
import { lazy } from 'solid-js';
import { queries } from './api/query-client.ts';
import { NotFound } from './rooms/not-found.tsx';
import { Projects } from './rooms/projects.tsx';
import { SignInCallback } from './rooms/provider-sign-in.tsx';
import { SignIn } from './rooms/sign-in.tsx';
import { Frame } from './shell/frame.tsx';

const Project = lazy(async () => ({ default: (await import('./rooms/project.tsx')).Project }));
const Service = lazy(async () => ({ default: (await import('./rooms/service/service.tsx')).Service }));
const Deployment = lazy(async () => ({
  default: (await import('./rooms/deployment/deployment.tsx')).Deployment,
}));
const NewService = lazy(async () => ({
  default: (await import('./rooms/new-service/new-service.tsx')).NewService,
}));
const Alerts = lazy(async () => ({ default: (await import('./rooms/alerts/alerts.tsx')).Alerts }));
const Trash = lazy(async () => ({ default: (await import('./rooms/trash.tsx')).Trash }));
const Members = lazy(async () => ({ default: (await import('./rooms/members/members.tsx')).Members }));
const Operator = lazy(async () => ({ default: (await import('./rooms/operator/operator.tsx')).Operator }));
const Settings = lazy(async () => ({ default: (await import('./rooms/settings.tsx')).Settings }));

export const App = () => (
  <QueryClientProvider client={queries}>
    <Router root={Frame}>
      <Route path="/" component={Projects} />
      <Route path="/sign-in" component={SignIn} />
      <Route path="/sign-in/callback" component={SignInCallback} />
      <Route path="/projects/:slug/:tab?" component={Project} />
      <Route path="/projects/:slug/new" component={NewService} />
      <Route path="/services/:serviceId/:tab?" component={Service} />
      <Route path="/deployments/:deploymentId" component={Deployment} />
      <Route path="/alerts" component={Alerts} />
      <Route path="/deleted" component={Trash} />
      <Route path="/members" component={Members} />
      <Route path="/operator/:room?" component={Operator} />
      <Route path="/settings" component={Settings} />
      <Route path="*" component={NotFound} />
    </Router>
  </QueryClientProvider>
);
