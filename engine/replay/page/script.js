(function(){
"use strict";
var box=document.getElementById("find");
if(!box)return;
box.hidden=false;
var text=box.querySelector("input[type=search]"),level=box.querySelector("select"),points=box.querySelector("input[type=checkbox]"),shown=document.getElementById("shown");
var rows=Array.prototype.slice.call(document.querySelectorAll("#events tbody tr")),words=null,timer=0;
function apply(){
var want=text.value.toLowerCase().split(/\s+/).filter(Boolean),least=+level.value,n=0;
if(!words)words=rows.map(function(r){return r.textContent.toLowerCase();});
rows.forEach(function(r,i){
var ok=+r.className.charAt(1)>=least&&(!points.checked||r.className.indexOf(" i")>0)&&want.every(function(w){return w.charAt(0)==="!"&&w.length>1?words[i].indexOf(w.slice(1))<0:words[i].indexOf(w)>=0;});
r.classList.toggle("gone",!ok);
if(ok)n++;
});
shown.textContent=n.toLocaleString("en")+" of "+rows.length.toLocaleString("en");
}
function later(){clearTimeout(timer);timer=setTimeout(apply,150);}
text.addEventListener("input",later);level.addEventListener("change",apply);points.addEventListener("change",apply);
window.addEventListener("hashchange",function(){
var r=document.getElementById(location.hash.slice(1));
if(r&&r.classList.contains("gone")){text.value="";level.value="0";points.checked=false;apply();r.scrollIntoView();}
});
})();
