// Documents: what is served, page by page, with the chunks that stand on each page.
import { createRoute } from '@tanstack/react-router';
import { data, run, shell } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, type FileKind, noRoutes } from '../kit.ts';
import { readAskSearch, readFindSearch, readQuestionsSearch } from './ask/ask-search.ts';
import { readDocumentSearch, readPlace } from './document-search.ts';

const documentsPage = createRoute({
  getParentRoute: () => data,
  path: '/documents',
  validateSearch: readDocumentSearch,
  component: lazy(() => import('./documents-page.tsx'), 'DocumentsPage'),
});

const documentPage = createRoute({
  getParentRoute: () => data,
  path: '/documents/$docId',
  validateSearch: readPlace,
  component: lazy(() => import('./document-page.tsx'), 'DocumentPage'),
});

const ask = createRoute({
  getParentRoute: () => shell,
  path: '/ask',
  component: lazy(() => import('./ask/ask-layout.tsx'), 'AskLayout'),
});

const askPage = createRoute({
  getParentRoute: () => ask,
  path: '/',
  validateSearch: readAskSearch,
  component: lazy(() => import('./ask/ask-page.tsx'), 'AskPage'),
});

const findPage = createRoute({
  getParentRoute: () => ask,
  path: '/search',
  validateSearch: readFindSearch,
  component: lazy(() => import('./ask/find-page.tsx'), 'FindPage'),
});

const questionsPage = createRoute({
  getParentRoute: () => ask,
  path: '/questions',
  validateSearch: readQuestionsSearch,
  component: lazy(() => import('./ask/questions-page.tsx'), 'QuestionsPage'),
});

const runDocument = createRoute({
  getParentRoute: () => run,
  path: '/document',
  component: lazy(() => import('./run-document.tsx'), 'RunDocument'),
});

const document: FileKind = {
  name: 'documents',
  title: 'Document',
  filename: /\.(pdf|docx|x?html?|txt|text|md|markdown)$/i,
};

export const documentsKit = defineConsoleKit({
  name: 'documents',
  routes: {
    ...noRoutes,
    run: [runDocument],
    data: [documentsPage, documentPage],
    shell: [ask.addChildren([askPage, findPage, questionsPage])],
  },
  places: [{ to: '/ask', label: 'Ask', icon: 'search' }],
  dataTabs: [{ to: '/data/documents', label: 'Documents' }],
  kinds: [document],
  run: {
    views: [],
    tabs: [{ to: '/r/$runId/document', label: 'Document' }],
    unit: 'pages',
    outcomes: {
      text: 'read from their text layer',
      ocr: 'read from their image',
      empty: 'without anything to read',
      rejected: 'not read; each says why and can be read again or left out',
    },
    outcomeTo: '/r/$runId/document',
  },
});
