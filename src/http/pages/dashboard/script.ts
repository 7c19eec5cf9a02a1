/** Shows what happens as it happens: each message of the stream has the page read again, once a moment. */
export const SCRIPT = `
addEventListener("DOMContentLoaded",()=>{
if(!window.EventSource)return;
const source=new EventSource("/_sandbox/stream?namespace="+encodeURIComponent(document.body.dataset.namespace));
let due=0;
const refresh=async()=>{due=0;
const answer=await fetch(location.href,{headers:{accept:"text/html"}});
if(!answer.ok)return;
const next=new DOMParser().parseFromString(await answer.text(),"text/html");
for(const part of document.querySelectorAll("[data-live]")){
if(part.contains(document.activeElement))continue;
const fresh=next.getElementById(part.id);
if(fresh&&fresh.innerHTML!==part.innerHTML)part.innerHTML=fresh.innerHTML}};
for(const name of ["charge","event","delivery","request","clock"])
source.addEventListener(name,()=>{if(!due)due=setTimeout(()=>refresh().catch(()=>{}),250)})});
`;
