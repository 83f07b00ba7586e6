// Documents: what is served, page by page, with the chunks that stand on each page.
import { createRoute } from '@tanstack/react-router';
import { data, run } from '../../app/frame.ts';
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

const askPage = createRoute({
  getParentRoute: () => data,
  path: '/ask',
  validateSearch: readAskSearch,
  component: lazy(() => import('./ask/ask-page.tsx'), 'AskPage'),
});

const findPage = createRoute({
  getParentRoute: () => data,
  path: '/find',
  validateSearch: readFindSearch,
  component: lazy(() => import('./ask/find-page.tsx'), 'FindPage'),
});

const questionsPage = createRoute({
  getParentRoute: () => data,
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
  routes: { ...noRoutes, run: [runDocument], data: [documentsPage, documentPage, askPage, findPage, questionsPage] },
  dataTabs: [
    { to: '/data/documents', label: 'Documents' },
    { to: '/data/ask', label: 'Ask' },
    { to: '/data/find', label: 'Search' },
    { to: '/data/questions', label: 'Questions' },
  ],
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
