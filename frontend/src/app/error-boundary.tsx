import { replay } from '@/lib/early'
import { reportError } from '@/lib/errors'
import { Component, type ReactNode } from 'react'
import { ErrorScreen } from './error-screen'

type Props = { children: ReactNode }

/** Catches what a page throws in render; React offers this to classes only. */
export class ErrorBoundary extends Component<Props, { error: unknown; failed: boolean }> {
  state = { error: undefined, failed: false }

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true }
  }

  componentDidCatch(error: unknown) {
    reportError(error, 'render')
    // The page that would have said so does not come.
    replay()
  }

  render() {
    return this.state.failed ? <ErrorScreen error={this.state.error} /> : this.props.children
  }
}
