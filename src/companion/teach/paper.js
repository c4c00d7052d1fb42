async ([here, there]) => {
  document.documentElement.classList.add('gb-paper'); // solutions are printed here alone
  const folds = 'article details:not(.hide, .gb-drawer)';
  document.querySelectorAll(folds).forEach(e => { e.open = true; });
  const chapter = document.querySelector('article section');
  const solutions = document.querySelectorAll('article .solution');
  if (chapter && solutions.length) chapter.append(Object.assign(document.createElement('h2'), { textContent: 'Solutions' }), ...solutions);
  document.querySelectorAll('img[loading]').forEach(e => { e.loading = 'eager'; });
  await Promise.all([...document.images].map(e => e.decode().catch(() => null)));
  if (window.MathJax) await MathJax.startup.promise;
  document.querySelectorAll('a[href]').forEach(e => {
    if (!e.href.startsWith(here)) return;
    const copy = e.cloneNode(true); // a script of the page may write the address of its own link again
    if (there) copy.href = there + e.href.slice(here.length); else copy.removeAttribute('href');
    e.replaceWith(copy);
  });
}
