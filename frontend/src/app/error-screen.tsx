import { Component, type ReactNode } from 'react';
import { Button, buttonClass } from '@/components/ui/button';
import { report } from '@/lib/errors';

export class ErrorScreen extends Component<
  { children: ReactNode },
  { error?: unknown; id: string }
> {
  override state: { error?: unknown; id: string } = { id: '' };
  static getDerivedStateFromError(error: unknown) {
    return { error, id: Date.now().toString(36).toUpperCase() };
  }
  override render() {
    if (!this.state.id) return this.props.children;
    return (
      <main className="mx-auto max-w-xl space-y-4 px-4 py-32 text-center">
        <h1 className="text-3xl font-bold">Something went wrong</h1>
        <p>We encountered an unexpected error. Don't worry, our team has been notified.</p>
        <p className="text-sm text-muted">Error ID: {this.state.id}</p>
        <div className="flex flex-wrap justify-center gap-3">
          <Button onClick={() => window.location.reload()}>Try Again</Button>
          <a className={buttonClass({ variant: 'outline' })} href="/">
            Go to Homepage
          </a>
          <Button variant="ghost" onClick={() => report(this.state.error, 'reported')}>
            Report This Issue
          </Button>
        </div>
      </main>
    );
  }
}
